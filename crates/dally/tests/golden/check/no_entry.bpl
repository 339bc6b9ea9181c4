procedure start() { }
