// Preferences
