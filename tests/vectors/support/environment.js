// Emscripten's programs have an environment of their own.
Module.preRun = () => {
  if (process.env.TEST_VECTORS) ENV.TEST_VECTORS = process.env.TEST_VECTORS;
};
