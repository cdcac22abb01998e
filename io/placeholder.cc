// Placeholder until the first source is here.
