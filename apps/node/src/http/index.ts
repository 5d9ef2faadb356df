/**
 * The page, metrics and health of a running node. They are apart from the rest, as a node without
 * `--http` need not load them.
 */
export { HttpServer } from './server.ts'
