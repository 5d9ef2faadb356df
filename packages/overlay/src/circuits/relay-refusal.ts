/** A relay gave no circuit. */
export class RelayRefusal extends Error {
  /** The relay has no connection to the member. */
  readonly isAbsent: boolean
  /** The relay has a connection, or dialled the member, and the member does not answer. */
  readonly isUnanswered: boolean

  constructor(answer: string) {
    super(`the relay says: ${answer.replaceAll(/[^ -~]/gu, '?')}`)
    this.isAbsent = answer === absent
    this.isUnanswered = answer === unanswered
  }
}

/** The answer of a relay without a connection to the member. */
export const absent = 'not here'
/** The answer of a relay to which the member did not answer. */
export const unanswered = 'no answer'
