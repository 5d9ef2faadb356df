import { JelError } from '@jel/protocol'

/** Base class of the errors of monitoring. */
abstract class MonitorError extends JelError {}

/** The name, unit, times, or way to measure of an attribute is not valid. */
export class InvalidAttributeError extends MonitorError {
  readonly code = 'INVALID_ATTRIBUTE'
}

/** The options of a read are not valid. */
export class InvalidReadError extends MonitorError {
  readonly code = 'INVALID_READ'
}

/** The member did not answer in time, or its answer was not valid. */
export class NoAnswerError extends MonitorError {
  readonly code = 'NO_ANSWER'
}

/** This monitor is closed. */
export class MonitorClosedError extends MonitorError {
  readonly code = 'MONITOR_CLOSED'
}

/** An expression is not in the language, or too long. */
export class InvalidExpressionError extends MonitorError {
  readonly code = 'INVALID_EXPRESSION'
}

/** The options of a watch are not valid. */
export class InvalidWatchError extends MonitorError {
  readonly code = 'INVALID_WATCH'
}
