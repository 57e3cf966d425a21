// Platform
