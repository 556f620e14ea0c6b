/** The name under which runs of drafts keep what live runs keep under `name`. No flow has it: ids contain no colon. */
export function draftName(name: string): string {
  return `draft:${name}`;
}
