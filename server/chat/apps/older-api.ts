import { z } from 'zod';
import { AppBody, AppListQuery, llmStrategies, resourceTypes, teamModes } from '#shared/app.ts';

/** The names that DB-GPT's earlier API uses. */
export const NamedApp = z.object({ app_code: z.string().min(1) });

export const EditBody = AppBody.extend(NamedApp.shape);

const query = AppListQuery.shape;
const filter = z
  .string()
  .nullish()
  .transform((text) => text || undefined);

/** Filters and pages of a list, as `AppListQuery` names them. */
export const ListBody = z
  .object({
    page: query.page.unwrap().optional(),
    page_no: query.page.unwrap().optional(),
    page_size: query.page_size.unwrap().default(100),
    is_collected: query.is_collected.nullable(),
    user_code: filter,
    sys_code: filter,
    name_filter: filter,
  })
  .transform(({ page, page_no, page_size, is_collected, user_code, sys_code, name_filter }): AppListQuery => {
    const filters = { user_name: user_code, sys_code, name: name_filter };
    return { page: page ?? page_no ?? 1, page_size, is_collected: is_collected ?? undefined, ...filters };
  });

/** The options of a form for an app. An agent is defined by its prompt, model and resources, under any name. */
export const choicesOfForms = {
  agents: [{ name: 'Assistant', desc: 'Answers by its prompt template, its model and its resources.' }],
  'team-mode': teamModes,
  'llm-strategy': llmStrategies,
  'resource-type': resourceTypes,
} as const;
