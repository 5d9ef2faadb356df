export { webOptions } from './web-options.ts'
