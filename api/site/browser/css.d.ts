/** A style sheet belongs to the module that imports it; the bundler writes it beside the script. */
declare module '*.css';
