import MDConformanceDriver

let driver = UserDefaultsDriver(SubclassMaker())
DriverLoop.run { try driver.answer($0) }
