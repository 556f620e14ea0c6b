import { mostOf, post, type Request, type Service, some } from './service.ts';

/** Operations of monday.com, whose interface is one address that takes GraphQL. */

const MONDAY = 'https://api.monday.com/v2';
const monday = (query: string, variables: Record<string, unknown>, items: string): Request =>
  post(MONDAY, { query, variables: some(variables) }, { items });

export const mondayOperations: Service['operations'] = {
  'boardItem.create': (g) =>
    monday(
      'mutation ($board: ID!, $group: String!, $name: String!, $columns: JSON) { create_item (board_id: $board, group_id: $group, item_name: $name, column_values: $columns) { id } }',
      {
        board: g.value('boardId'),
        group: g.value('groupId'),
        name: g.value('name'),
        columns: g.value('additionalFields.columnValues'),
      },
      'one?.data?.create_item',
    ),
  'boardItem.get': (g) =>
    monday(
      'query ($ids: [ID!]) { items (ids: $ids) { id name created_at state column_values { id text type value column { title } } } }',
      { ids: [g.value('itemId')] },
      'one?.data?.items ?? []',
    ),
  'boardItem.getAll': (g) =>
    monday(
      'query ($board: [ID!], $group: [String], $limit: Int!) { boards (ids: $board) { groups (ids: $group) { items_page (limit: $limit) { items { id name created_at state column_values { id text type value column { title } } } } } } }',
      { board: [g.value('boardId')], group: [g.value('groupId')], limit: Math.min(mostOf(g, 50), 500) },
      '(one?.data?.boards?.[0]?.groups ?? []).flatMap(group => group.items_page.items)',
    ),
  'boardItem.addUpdate': (g) =>
    monday(
      'mutation ($item: ID!, $text: String!) { create_update (item_id: $item, body: $text) { id } }',
      { item: g.value('itemId'), text: g.value('value') },
      'one?.data?.create_update',
    ),
  'boardItem.changeMultipleColumnValues': (g) =>
    monday(
      'mutation ($board: ID!, $item: ID!, $columns: JSON!) { change_multiple_column_values (board_id: $board, item_id: $item, column_values: $columns) { id } }',
      { board: g.value('boardId'), item: g.value('itemId'), columns: g.value('columnValues') },
      'one?.data?.change_multiple_column_values',
    ),
  'board.create': (g) =>
    monday(
      'mutation ($name: String!, $kind: BoardKind!) { create_board (board_name: $name, board_kind: $kind) { id name } }',
      { name: g.value('name'), kind: g.text('kind', 'public') },
      'one?.data?.create_board',
    ),
  'board.get': (g) =>
    monday(
      'query ($ids: [ID!]) { boards (ids: $ids) { id name description state board_kind owners { id } } }',
      { ids: [g.value('boardId')] },
      'one?.data?.boards ?? []',
    ),
};
