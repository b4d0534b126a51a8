"""Independent programs behind the reference values of the papers. Nothing here uses Taut: no code, no results, no model files."""
