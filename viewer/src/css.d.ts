/** Style sheets are bundled by the build; to the type checker they are nothing. */
declare module '*.css';
