/**
 * An outcome is a finding or a request of one part that concerns other parts. A part puts it in a
 * queue. The node settles the queue in order, after each fact, input and timer. So no part calls
 * back into another.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Fact, AgedFact } from '../facts/fact.ts'
import type { Change } from '../facts/membership-view.ts'

export type Outcome =
  /** Lives began or ended, or a member's statement has a later version. */
  | { readonly type: 'changed'; readonly changes: readonly Change[] }
  /**
   * This node concludes that a member is dead. `after`: time in which others may publish the death
   * first, ms; undefined: nobody needs to publish it. `isLone`: this node misses no other member.
   */
  | { readonly type: 'certified'; readonly certificate: Certificate; readonly after: Milliseconds | undefined; readonly isLone: boolean }
  /**
   * This node publishes the fact. `after`: only if no other node publishes it within this time, ms.
   */
  | { readonly type: 'publish'; readonly fact: Fact; readonly after?: Milliseconds }
  /** This node publishes facts of its own. `isAtOnce`: they wait for no batch. */
  | { readonly type: 'announce'; readonly facts: readonly Fact[]; readonly isAtOnce?: boolean }
  /** This node's state is uncertain until a reconciliation. */
  | { readonly type: 'unsure' }
  /** This node completed a reconciliation. */
  | { readonly type: 'reconciled'; readonly peer: NodeId }
  /** This node may enter. `learned`: this node's highest incarnation that others know. */
  | { readonly type: 'enter'; readonly learned: number }
  /** No introducer lets this node in. The node has entered and keeps trying. */
  | { readonly type: 'alone' }
  /** No helper answers about a member, so this node may be cut off. */
  | { readonly type: 'isolated' }
  /** A redirector named these members to this node. */
  | { readonly type: 'redirected'; readonly from: NodeId; readonly members: readonly AgedFact[] }
  /** This peer lacks this node's present life. */
  | { readonly type: 'introduce'; readonly peer: NodeId }
  /** This node began a new life: others ended its former life. */
  | { readonly type: 'rejoined'; readonly fact: Fact }
  /**
   * A statement bears this node's signature, but this process did not sign it. The statement is of
   * the present life or a later one.
   */
  | { readonly type: 'impersonated'; readonly incarnation: number }
  /**
   * This node's life has ended: it ended the life itself in an earlier run, or others proved this
   * node's death. If the proof is missing, `by` lists the members that consider the life ended.
   */
  | { readonly type: 'rejoin'; readonly incarnation: number; readonly by?: readonly NodeId[] }
  /** A peer considers a member alive, but this node considers it dead. */
  | { readonly type: 'contested'; readonly id: NodeId }
  /** Somebody published the fact under this key, so this node need not publish it. */
  | { readonly type: 'overheard'; readonly key: string }
