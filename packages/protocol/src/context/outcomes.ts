/**
 * What a part found out or wants done that concerns other parts. A part puts it in a queue; the node settles what is in the queue, in order,
 * after each fact that was taken in and each turn of a part. So no part calls back into another.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Fact } from '../facts/fact.ts'
import type { Change } from '../facts/membership-view.ts'

export type Outcome =
  /** Lives began or ended, or a member's statement has a later version. */
  | { readonly type: 'changed'; readonly changes: readonly Change[] }
  /**
   * A member is dead for all that this node knows. `after`: so long others get to make that known first, ms; undefined: nobody needs to. `isLone`: this node
   * misses nobody else.
   */
  | { readonly type: 'certified'; readonly certificate: Certificate; readonly after: Milliseconds | undefined; readonly isLone: boolean }
  /** The pool is to be told. `after`: unless somebody else does within so long, ms. */
  | { readonly type: 'publish'; readonly fact: Fact; readonly after?: Milliseconds }
  /** Facts of this node's own that the pool is to be told. `isAtOnce`: they wait for no company. */
  | { readonly type: 'announce'; readonly facts: readonly Fact[]; readonly isAtOnce?: boolean }
  /** Nothing is certain before a reconciliation. */
  | { readonly type: 'unsure' }
  /** A reconciliation was completed. */
  | { readonly type: 'reconciled'; readonly peer: NodeId }
  /** Enter: this is the highest incarnation of this node that others know. */
  | { readonly type: 'enter'; readonly learned: number }
  /** Nobody lets this node in. It has entered, and goes on trying. */
  | { readonly type: 'alone' }
  /** No helper answers for a member: this node may be cut off. */
  | { readonly type: 'isolated' }
  /** This peer may have its hello now. */
  | { readonly type: 'served'; readonly peer: NodeId }
  /** Nobody whom this peer named has answered. */
  | { readonly type: 'disappointed'; readonly peer: NodeId }
  /** A new life of this node began in place of one that others ended. */
  | { readonly type: 'reentered'; readonly fact: Fact }
  /** A statement of this node's own key that this process did not sign, of a life not before its own. */
  | { readonly type: 'impersonated'; readonly incarnation: number }
  /** This node's life was ended: by itself in an earlier run, or with proof; or, without, for those who hold that (`by`). */
  | { readonly type: 'surrender'; readonly incarnation: number; readonly by?: readonly NodeId[] }
  /** A peer holds a member for alive that this node holds for dead. */
  | { readonly type: 'contested'; readonly id: NodeId }
  /** Somebody told all what this node knows, under this key, by now: it need not. */
  | { readonly type: 'overheard'; readonly key: string }
