import { z } from 'zod';

export const PullBody = z.strictObject({
  force: z
    .boolean()
    .default(false)
    .describe('Take the branch even if its history was rewritten, or if it has no flows any more.'),
});

/** A file of the repository that was not taken over. */
const LeftFile = z.object({
  file: z.string(),
  code: z.string().describe('The code of the problem, such as `duplicate-flow-id`.'),
  message: z.string(),
});
export type LeftFile = z.infer<typeof LeftFile>;

/** What a look at the git repository has changed. */
export const PulledFlows = z.object({
  commit: z.string().optional().describe('The newest one of the branch; absent if there is none yet.'),
  changed: z.array(z.string()).describe('Ids of flows whose text is new here.'),
  removed: z.array(z.string()).describe('Ids of flows that are gone there.'),
  left: z
    .array(LeftFile)
    .describe(
      'Files that do not serve: what served before goes on. Those that are no flows at all have no other effect.',
    ),
});
export type PulledFlows = z.infer<typeof PulledFlows>;
