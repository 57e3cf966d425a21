/// The name of this module, which the application uses.
public let engineModule = "Engine"
