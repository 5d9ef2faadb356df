/**
 * The script of the frame of programs. Its document has an origin of its own, and a policy without
 * network. `PROGRAM` is the script of the workers, which the page of the frame contains.
 *
 * @module
 */
declare const PROGRAM: string

const url = URL.createObjectURL(new Blob([PROGRAM], { type: 'text/javascript' }))
const workers = new Map<number, Worker>()

addEventListener('message', ({ data, ports: [port], source }: MessageEvent<{ readonly id: number }>) => {
  if (source !== parent) return
  workers.get(data.id)?.terminate()
  workers.delete(data.id)
  // Without a port the message ends a worker.
  if (port === undefined) return
  const worker = new Worker(url)
  workers.set(data.id, worker)
  worker.postMessage(undefined, [port])
  // The page makes another frame if this one is dead.
  parent.postMessage(data.id, '*')
})
parent.postMessage('ready', '*')
