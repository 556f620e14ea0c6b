/** The number of documents that a round loads. */
export const DOCUMENTS = 3;
const SECTIONS = 150;

/** The text of a document; half of its sections change with the round. */
export function textOf(document: number, round: number): string {
  return Array.from({ length: SECTIONS }, (_, n) => {
    const version = n % 2 === 0 ? 0 : round;
    return `# Section ${n}\n\nDocument ${document} says in version ${version} that item ${n} costs ${n * 7 + version} euro.`;
  }).join('\n\n');
}
