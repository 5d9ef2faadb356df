import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type { Report } from './messages.ts'

/**
 * What a thread has sent and this one has not heard, once the thread has ended. Its reports and its
 * end come by different ways, so the end may come first.
 */
export function lastReports(port: MessagePort): Report[] {
  const reports: Report[] = []
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) reports.push(next.message as Report)
  return reports
}
