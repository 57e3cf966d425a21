// ManagedDefaults
