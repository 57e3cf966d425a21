import MDPlatform
import MDPropertyList
import MDTools

/// LibreOffice, asked over UNO for its settings and which of them are locked.
struct LibreOfficeWitness: Witness {
    let program: LibreOffice

    /// The interpreter that has LibreOffice's bridge.
    private static let interpreter = "/usr/bin/python3"
    /// The bridge.
    private static let bridge = "/usr/lib/python3/dist-packages/uno.py"

    /// Starts LibreOffice, reads the paths of settings from the standard input, and prints what is known of each.
    private static let question = """
        import json, os, subprocess, sys, time
        import uno
        from com.sun.star.beans import PropertyValue
        pipe = "managed-defaults-%d" % os.getpid()
        office = subprocess.Popen(
            ["/usr/lib/libreoffice/program/soffice", "--headless", "--norestore", "--nologo",
             "--accept=pipe,name=%s;urp" % pipe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        while True:
            if office.poll() is not None:
                sys.exit(1)
            try:
                context = resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext" % pipe)
                break
            except Exception:
                time.sleep(0.05)
        services = context.ServiceManager
        provider = services.createInstanceWithContext("com.sun.star.configuration.ConfigurationProvider", context)
        def plain(value):
            if isinstance(value, uno.ByteSequence):
                return "".join("%02x" % byte for byte in value.value)
            return [plain(one) for one in value] if isinstance(value, tuple) else value
        answers = {}
        for number, path in enumerate(json.load(sys.stdin)["paths"]):
            try:
                argument = PropertyValue()
                argument.Name, argument.Value = "nodepath", "/" + path[0]
                node = provider.createInstanceWithArguments(
                    "com.sun.star.configuration.ConfigurationUpdateAccess", (argument,))
                for name in path[1:-1]:
                    node = node.getByName(name)
                attributes = node.getPropertySetInfo().getPropertyByName(path[-1]).Attributes
                value = plain(node.getByName(path[-1]))
                answers[str(number)] = {"locked": bool(attributes & 16)}
                if value is not None:
                    answers[str(number)]["value"] = value
            except Exception:
                pass
        print(json.dumps(answers))
        try:
            services.createInstanceWithContext("com.sun.star.frame.Desktop", context).terminate()
        except Exception:
            pass
        try:
            office.wait(10)
        except subprocess.TimeoutExpired:
            office.kill()
        """

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        guard Root.system.mayExist(LibreOfficeWitness.bridge) else {
            throw WitnessError("it cannot be asked: python3-uno is not installed")
        }
        let paths = policy.entries.map { Value.array(LibreOffice.path(of: $0).map { .string($0) }) }
        guard let question = PlainJSON.encode(.dictionary(["paths": .array(paths)])),
            let output = try place.output(
                LibreOfficeWitness.interpreter, ["-c", LibreOfficeWitness.question], input: question)
        else { throw .ended }
        let answers: [Key: Value]
        do {
            answers = try PlainJSON.object(output)
        } catch {
            throw .unreadable("\(error)")
        }
        var testimony = Testimony()
        for (number, entry) in policy.entries.enumerated() {
            let alone = program.render(ProgramPolicy([entry]), for: audience, in: .system)
            let answer = answers[Key(String(number))]
            testimony.answers.append(
                alone.files.isEmpty
                    ? WitnessAnswer(entry, .unsupported, note: alone.findings.first?.message ?? "")
                    : LibreOfficeWitness.answer(entry, answer))
        }
        return testimony
    }

    /// What is known of a setting, as an answer.
    static func answer(_ entry: ProgramEntry, _ known: Value?) -> WitnessAnswer {
        guard case .dictionary(let members)? = known, let locked = members["locked"] else {
            return WitnessAnswer(entry, .error, note: "it has no such setting")
        }
        let (value, isLocked) = (members["value"], locked == .boolean(true))
        switch entry.level {
        case .forced(let wanted):
            guard let value, Requirement.isMet(LibreOfficeWitness.plain(wanted), by: value) else {
                return WitnessAnswer(entry, .differs, value: value)
            }
            return isLocked
                ? WitnessAnswer(entry, .enforced, value: value)
                : WitnessAnswer(entry, .differs, value: value, note: "the user may change it")
        case .recommended(let wanted):
            guard let value, Requirement.isMet(LibreOfficeWitness.plain(wanted), by: value) else {
                return WitnessAnswer(entry, .differs, value: value)
            }
            return isLocked
                ? WitnessAnswer(entry, .differs, value: value, note: "the user may not change it")
                : WitnessAnswer(entry, .isDefault, value: value)
        case .absent:
            return WitnessAnswer(entry, value == nil && isLocked ? .enforced : .differs, value: value)
        default: return WitnessAnswer(entry, .unknown)
        }
    }

    /// A value as the question's answer has it: data are hexadecimal digits.
    private static func plain(_ value: Value) -> Value {
        switch value {
        case .data: .string(LibreOfficeSchema.ValueType.binary.text(of: value) ?? "")
        case .array(let elements): .array(elements.map(plain))
        default: value
        }
    }
}

extension LibreOffice {
    package var witness: (any Witness)? { LibreOfficeWitness(program: self) }
}
