/** The page, metrics and health of a running node. A node without `--http` does not load them. */
export { HttpServer } from './server.ts'
