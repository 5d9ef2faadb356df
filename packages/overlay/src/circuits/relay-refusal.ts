/** A relay gave no circuit. */
export class RelayRefusal extends Error {
  /**
   * True: the relay has no connection to the member. Otherwise the relay says nothing about the
   * member.
   */
  readonly isAbsent: boolean

  constructor(answer: string) {
    super(`the relay says: ${answer.replaceAll(/[^ -~]/gu, '?')}`)
    this.isAbsent = answer === absent
  }
}

/** The answer of a relay without a connection to the member. */
export const absent = 'not here'
