import { inBackground } from '@jel/overlay'

/**
 * Resolves after this time, ms.
 *
 * @param isBackground the timer keeps no process alive
 */
export async function pause(time: number, isBackground = false): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, time)
    if (isBackground) inBackground(timer)
  })
}
