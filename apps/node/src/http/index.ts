/** The page, metrics and health of a running node, apart from the rest: a node without `--http` need not load them. */
export { HttpServer } from './server.ts'
