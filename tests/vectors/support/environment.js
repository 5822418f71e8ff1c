// Emscripten's programs have an environment of their own.
Module.preRun = () => {
  if (process.env.PORTAIL_VECTORS) ENV.PORTAIL_VECTORS = process.env.PORTAIL_VECTORS;
};
