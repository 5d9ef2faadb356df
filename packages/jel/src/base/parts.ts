/** The parts of JEL that this pool uses (JEL §3.3: an application switches off unused parts). */
export interface PoolParts {
  readonly joins: 'reliable' | 'unreliable' | 'off'
  readonly elections: 'uniform' | 'non-uniform' | 'off'
  /** The fixed size of the pool. Default: no limit, or the size that another member announced. */
  readonly poolSize?: number | undefined
}
