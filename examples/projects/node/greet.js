/** A greeting for a name, or for everybody. */
exports.greet = (name = "all of you") => `Hello, ${name.trim()}!`;
