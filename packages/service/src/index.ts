/**
 * Services of a pool: named calls that any instance answers, or a primary with backups.
 *
 * @packageDocumentation
 */
export { service, type CallContext, type ReplicatedService, type Service, type StatelessService } from './service.ts'
export { serviceClient, type CallOptions, type ServiceClient, type ServiceInfo } from './client.ts'
export type { Reapplied } from './core/reapplied.ts'
export type { ReplicaNotice, ReplicaStatus } from './shell/replica-host.ts'
export { CallError, CallTimeoutError, InvalidServiceError, NoServerError } from './errors.ts'
