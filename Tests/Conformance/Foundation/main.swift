import ConformanceDriver

let driver = UserDefaultsDriver(FoundationMaker())
DriverLoop.run { try driver.answer($0) }
