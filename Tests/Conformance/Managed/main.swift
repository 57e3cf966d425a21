import MDConformanceDriver

let driver = ManagedDriver()
DriverLoop.run { try driver.answer($0) }
