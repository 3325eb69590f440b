/** The bundler writes an imported style sheet beside the script. */
declare module '*.css';
