/* Prints a greeting for a name, or for everybody when it is null. */
void greet(const char *name);
