'use strict';
// Renders the OpenAPI document of this page's directory. All text is inserted as text, never as markup.

function element(name, attributes, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

function show(api) {
  const resolve = (value) =>
    value && value.$ref ? value.$ref.slice(2).split('/').reduce((at, key) => at[key], api) : value;

  const schemaLink = (reference) => {
    const name = reference.split('/').pop();
    return element('a', { href: '#' + name }, name);
  };

  // Describes the values of a schema.
  const type = (schema) => {
    if (!schema) return ['bytes'];
    if (schema.$ref) return [schemaLink(schema.$ref)];
    if (schema.type === 'array') return ['list of ', ...type(schema.items)];
    const words = [].concat(schema.type || []).join(' or ') + (schema.format ? ` (${schema.format})` : '');
    const limits = [];
    if (schema.enum) limits.push(schema.enum.join(', '));
    if (schema.const !== undefined) limits.push(`always ${schema.const}`);
    if (schema.minimum !== undefined) limits.push(`from ${schema.minimum}`);
    if (schema.maximum !== undefined) limits.push(`to ${schema.maximum}`);
    if (schema.default !== undefined) limits.push(`default ${schema.default}`);
    return [[words, limits.join(' ')].filter(Boolean).join(': ')];
  };

  const table = (head, rows) =>
    element('table', {},
      element('tr', {}, ...head.map((text) => element('th', {}, text))),
      ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, ...[].concat(cell))))));

  const parameters = (list) => !list.length ? [] : [
    element('h4', {}, 'Parameters'),
    table(['Name', 'In', 'Type', 'Meaning'],
      list.map((it) => [element('code', {}, it.name), it.in, type(it.schema), it.description || '']))];

  const content = (value) => Object.entries(value.content || {}).flatMap(([mediaType, media], i) =>
    [i ? ', ' : '', element('code', {}, mediaType), ' ', ...type(media.schema)]);

  const example = (value) => Object.values((value && value.content) || {})
    .filter((media) => media.example !== undefined)
    .map((media) => element('pre', {}, JSON.stringify(media.example, null, 2)));

  const responses = (all) => [
    element('h4', {}, 'Answers'),
    table(['Status', 'Meaning', 'Headers', 'Body'], Object.entries(all).map(([status, given]) => {
      const it = resolve(given);
      return [element('code', {}, status), it.description, Object.keys(it.headers || {}).join(', '), content(it)];
    }))];

  const operation = (path, method, shared, it) => element('details', it.deprecated ? { class: 'deprecated' } : {},
    element('summary', {},
      element('span', { class: 'method' }, method), ' ', element('code', {}, path), ' ', it.summary || ''),
    element('p', {}, it.description || ''),
    ...parameters([...shared, ...(it.parameters || [])].map(resolve)),
    ...(it.requestBody
      ? [element('h4', {}, 'Request body'), element('p', {}, ...content(it.requestBody)),
         element('p', {}, it.requestBody.description || ''), ...example(it.requestBody)]
      : []),
    ...responses(it.responses), ...example(it.responses['200']));

  const operations = Object.entries(api.paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods).map(([method, it]) => ({ tag: it.tags[0], view: operation(path, method, shared, it) })));

  const schema = ([name, it]) => {
    const required = new Set(it.required || []);
    return element('details', { id: name },
      element('summary', {}, element('code', {}, name)),
      element('p', {}, it.description || ''),
      ...(it.enum ? [element('p', {}, ...type(it))] : []),
      ...(it.allOf || []).map((base) => element('p', {}, 'Everything of ', ...type(base), ', and:')),
      table(['Member', 'Type', 'Meaning'], Object.entries(it.properties || {}).map(([key, member]) =>
        [[element('code', {}, key), required.has(key) ? '' : ' (optional)'], type(member), member.description || ''])));
  };

  document.getElementById('interface').replaceChildren(
    element('h1', {}, `${api.info.title} ${api.info.version}`),
    ...api.info.description.split('\n\n').map((text) => element('p', {}, text)),
    element('p', {}, 'As a document for programs: ', element('a', { href: 'v1/swagger.json' }, 'v1/swagger.json'), '.'),
    ...api.tags.flatMap((tag) => [
      element('h2', {}, tag.name), element('p', {}, tag.description),
      ...operations.filter((it) => it.tag === tag.name).map((it) => it.view)]),
    element('h2', {}, 'Schemas'), ...Object.entries(api.components.schemas).map(schema));
}

// A link to a schema opens it.
addEventListener('hashchange', () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target) target.open = true;
});

fetch('v1/swagger.json')
  .then((answer) => answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`)))
  .then(show)
  .catch((error) => {
    document.getElementById('state').append(element('strong', {}, ` It could not be shown: ${error.message}.`));
  });
