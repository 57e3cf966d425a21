import ConformanceDriver

let driver = ManagedDriver()
DriverLoop.run { try driver.answer($0) }
