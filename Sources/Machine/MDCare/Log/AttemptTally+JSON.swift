package import MDPropertyList

extension AttemptTally {
    /// Writes the members with the numbers by user, program, way, outcome, key, day and hour.
    package func write(to json: inout JSONWriter) {
        let lists = [
            ("user", byUser), ("program", byProgram), ("way", byWay), ("outcome", byOutcome),
        ]
        for (name, counts) in lists {
            json.member(name)
            json.beginArray()
            for count in counts {
                json.beginObject()
                json.field("name", count.name)
                json.field("attempts", count.attempts)
                json.field("claimed", count.claimed)
                json.field("keys", count.keys)
                json.endObject()
            }
            json.endArray()
        }
        json.member("key")
        json.beginArray()
        for (place, attempts, claimed) in byKey {
            json.beginObject()
            json.field("domain", place.domain?.string)
            json.field("key", place.key?.string)
            json.field("attempts", attempts)
            json.field("claimed", claimed)
            json.endObject()
        }
        json.endArray()
        json.member("day")
        json.beginArray()
        for (day, attempts) in byDay {
            json.beginObject()
            json.field("day", day)
            json.field("attempts", attempts)
            json.endObject()
        }
        json.endArray()
        json.field("hour", .array(hours.map { .integer(Integer(Int64($0))) }))
    }
}
