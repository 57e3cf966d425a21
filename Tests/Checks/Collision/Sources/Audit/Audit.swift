/// The name of this module, which the application uses.
public let auditModule = "Audit"
