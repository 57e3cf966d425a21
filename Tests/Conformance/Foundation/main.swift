import MDConformanceDriver

let driver = UserDefaultsDriver(FoundationMaker())
DriverLoop.run { try driver.answer($0) }
