/**
 * The name of one lease, for ever. The tokens of one granter grow: by its incarnation, then by the
 * number.
 */
export interface Token {
  /** The member that granted the lease. */
  readonly member: string
  readonly incarnation: number
  readonly number: number
}

/**
 * Guards a resource of one member. It refuses each token that is older than a token that it has
 * admitted. So a holder whose lease has ended can't use the resource after the next holder has
 * begun.
 */
export class Fence {
  #newest: Token | undefined

  /** Whether the resource admits this token. */
  admits(token: Token): boolean {
    const newest = this.#newest
    if (newest !== undefined && (token.member !== newest.member || isOlder(token, newest))) return false
    this.#newest = token
    return true
  }
}

function isOlder(token: Token, other: Token): boolean {
  if (token.incarnation !== other.incarnation) return token.incarnation < other.incarnation
  return token.number < other.number
}
