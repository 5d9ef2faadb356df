import type { JobCommand } from '../agent/commands.ts'
import type { JobEvent } from '../agent/job-events.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { codeOf } from '../base/usage-error.ts'
import { ControlClient, type NodeFlags } from '../control/client.ts'
import { runErrand } from './errands.ts'
import { Visitor, type VisitorFlags } from './visitor.ts'

/** The flags of all commands about jobs. */
export interface SendFlags extends VisitorFlags, NodeFlags {
  readonly json?: boolean
}

export interface Errand {
  readonly command: JobCommand
  readonly tell: (event: JobEvent) => void
  /** Waits until a visitor that has just entered knows enough. */
  ready(visitor: Visitor): Promise<void>
  /** Called when the command is stopped, before it leaves. */
  stopped?(): void
}

/** The exit status of a command that was stopped before it was done. */
const STOPPED = 1

/**
 * Gives the command to the node of this pool that runs here. Without one, or where flags describe
 * how to enter the pool, it enters for that time. Returns undefined when done, or the exit status
 * of a stopped command.
 */
export async function send(pool: string, flags: SendFlags, errand: Errand): Promise<number | undefined> {
  const stop = new Stop()
  stopOnSignals(stop)
  const stopped = stop.reason.then(() => {
    errand.stopped?.()
    return STOPPED
  })
  await using client = await running(pool, flags)
  if (client !== undefined)
    return await Promise.race([client.ask(errand.command, (event) => errand.tell(event as JobEvent)).then(() => undefined), stopped])
  try {
    await using visitor = await Visitor.enter(pool, flags, stop.signal)
    const visit = async (): Promise<undefined> => {
      await errand.ready(visitor)
      await runErrand(visitor.grid, errand.command, errand.tell, stop.signal)
    }
    return await Promise.race([visit(), stopped])
  } catch (error) {
    if (stop.signal.aborted && codeOf(error) !== 'USAGE') return STOPPED
    throw error
  }
}

/** Returns the node that runs here, if it is to be asked. */
async function running(pool: string, flags: SendFlags): Promise<ControlClient | undefined> {
  if (tellsHowToEnter(flags)) return undefined
  return await (flags.node === undefined ? ControlClient.find(pool, flags) : ControlClient.connect(pool, flags))
}

function tellsHowToEnter({ bootstrap, listen, keyFile, owner }: SendFlags): boolean {
  return bootstrap.length > 0 || listen.length > 0 || keyFile.length > 0 || owner !== undefined
}
