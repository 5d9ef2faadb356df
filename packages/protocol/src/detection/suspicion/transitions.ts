/**
 * The states of a suspicion, and the transitions between them. docs/specification.md#suspicions has
 * the same table, with the conditions.
 */

export type SuspicionState =
  /** Other nodes accuse the member. This node does not probe it. */
  | 'reported'
  /** This node probes the member. */
  | 'probing'
  /** The member did not answer in time, so this node asks helpers to probe it. */
  | 'indirect'
  /** Helpers reach the member but this node does not. The member lives. */
  | 'relayed'
  /** Helpers failed, too, so this node signed an accusation. */
  | 'accused'

/** A finding of this node about a member. */
export type Finding =
  /** This node missed the member, or received a hint that others missed it. */
  | 'missed'
  /** The member did not answer direct probes in time. */
  | 'timedOut'
  /** A helper reached the member, or the member refuted accusations, or these expired. */
  | 'proven'
  /** Helpers missed the member, or their silence counts like that. */
  | 'missedByHelpers'
  /** The member answered this node itself. */
  | 'answered'

type Transitions = Readonly<Record<SuspicionState, Readonly<Partial<Record<Finding, SuspicionState>>>>>

/** The state after each finding. A finding without an entry changes nothing. */
export const transitions: Transitions = {
  reported: { missed: 'probing' },
  probing: { timedOut: 'indirect', proven: 'relayed', answered: 'reported' },
  indirect: { proven: 'relayed', missedByHelpers: 'accused', answered: 'reported' },
  relayed: { missed: 'probing', missedByHelpers: 'probing', answered: 'reported' },
  accused: { proven: 'relayed', answered: 'reported' },
}
