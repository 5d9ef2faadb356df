/** Containers of programs in a page: workers in a frame that reaches nothing. */
import type { Container, ContainerEvents } from '../../executors/container.ts'
import type { Startable } from '../../executors/process-container.ts'
import { WorkerContainer } from './worker-container.ts'
import { frameOfPrograms } from './frame-slot.ts'

export function startProgram(program: Startable, events: ContainerEvents): Container {
  const container = new WorkerContainer(events)
  void container.start(program, frameOfPrograms())
  return container
}
