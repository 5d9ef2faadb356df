/** The measures. Less is better in every row. */
export const ROWS = {
  flash: ['flash join: last one entered until all know all', 'ms'],
  flashWhole: ['flash join: first one started until all know all', 'ms'],
  flashBytes: ['flash join: traffic a node', 'KB'],
  flashProcessor: ['flash join: processor time a node, start-up included', 'ms'],
  idleBytes: ['idle: traffic a node', 'B/s'],
  idleProcessor: ['idle: processor a node', '% of a core'],
  memory: ['idle: memory a node', 'MB'],
  join: ['one join: entered until known by all', 'ms'],
  leave: ['leave: signal until known by all', 'ms'],
  kill: ['SIGKILL of one: known by all', 'ms'],
  stop: ['5 s stop of one: said to be dead by', 'nodes'],
  heal: ['partition in halves healed: until all know all', 'ms'],
  killMany: ['SIGKILL of 30 %: known by all', 'ms'],
  falseDeaths: ['living nodes said to be dead, at any other time', 'times'],
  bridgedLives: ['three hosts, two cut from each other for 60 s: lives of running members that ended', 'lives'],
  bridgedBytes: ['three hosts, meanwhile: traffic a node', 'B/s'],
  bridgingBytes: ['three hosts, meanwhile: traffic a node of the host that reaches both', 'B/s'],
  bridgedProcessor: ['three hosts, meanwhile: processor a node', '% of a core'],
} as const satisfies Record<string, readonly [what: string, unit: string]>

export type Row = keyof typeof ROWS
export type Figures = Partial<Record<Row, number[]>>

/** Adds a value to a row. */
export type Add = (row: Row, value: number) => void
