/** A reason not to start that the person at the terminal can fix; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
