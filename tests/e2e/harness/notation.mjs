/*
 * Types in the notation of docs/COMMANDS.md as JSON Schema: `{a: string, b?: Named[]} | null`. Named types are those of
 * docs/openapi.json.
 */

const SIMPLE = { string: 'string', number: 'number', boolean: 'boolean', null: 'null' };

/** Returns the schema of a type. Objects have no other fields than those that are written. */
export function schemaOf(notation) {
  const words = notation.match(/[A-Za-z]+|[{}[\]:,?|]/g) ?? [];
  if (words.join('') !== notation.replaceAll(/\s/g, '')) throw new Error(`${notation} has letters that the notation does not know`);
  let at = 0;
  const take = (wanted) => {
    const found = words[at] === wanted;
    if (found) at += 1;
    return found;
  };
  const expect = (wanted) => {
    if (!take(wanted)) throw new Error(`${notation}: ${wanted} is missing at ${words.slice(at).join(' ')}`);
  };
  const object = () => {
    if (take('[')) {
      at += 1;
      expect(']');
      expect(':');
      const values = either();
      expect('}');
      return { type: 'object', additionalProperties: values };
    }
    const properties = {};
    const required = [];
    do {
      const name = words[at++];
      if (!take('?')) required.push(name);
      expect(':');
      properties[name] = either();
    } while (take(','));
    expect('}');
    return { type: 'object', properties, required, additionalProperties: false };
  };
  const one = () => {
    let schema;
    if (take('{')) schema = object();
    else if (take('[')) {
      schema = { type: 'array', items: either() };
      expect(']');
    } else {
      const word = words[at++];
      // Any JSON.
      if (word === 'unknown') schema = {};
      else schema = SIMPLE[word] ? { type: SIMPLE[word] } : { $ref: `openapi#/components/schemas/${word}` };
    }
    while (take('[')) {
      expect(']');
      schema = { type: 'array', items: schema };
    }
    return schema;
  };
  const either = () => {
    const schemas = [one()];
    while (take('|')) schemas.push(one());
    return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  };
  const schema = either();
  if (at !== words.length) throw new Error(`${notation} goes on after the type`);
  return schema;
}
