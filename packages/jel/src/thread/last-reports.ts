import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type { Report } from './messages.ts'

/**
 * Returns the reports of an ended thread that this thread has not received. Reports and the end of
 * a thread arrive on different channels, so the end may come first.
 */
export function lastReports(port: MessagePort): Report[] {
  const reports: Report[] = []
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) reports.push(next.message as Report)
  return reports
}
