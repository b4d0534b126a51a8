/** Style sheets are bundled by the build; the type checker ignores them. */
declare module '*.css';
