// What a report holds, read on its own: the browser's numbers are held against these, not against the page's decoder.
import { gunzipSync } from 'node:zlib';

function arrayAt(bytes, offset, info) {
  if (info.coding === 'f64') {
    return Float64Array.from({ length: info.length }, (_, k) => bytes.readDoubleLE(offset + 8 * k));
  }
  const words = Buffer.alloc(4 * info.length);
  let bits = 0;
  for (let k = 0; k < info.length; k += 1) {
    let z = 0;
    for (let plane = 3; plane >= 0; plane -= 1) z = z * 256 + bytes[offset + plane * info.length + k];
    const difference = z % 2 === 0 ? z / 2 : -(z + 1) / 2;
    bits = (bits + difference + 2 ** 33) % 2 ** 32;
    words.writeUInt32LE(bits, 4 * k);
  }
  return Float32Array.from({ length: info.length }, (_, k) => words.readFloatLE(4 * k));
}

/** Header, instants of the film, and the pose of a figure in a row of it. */
export function unpack(packed) {
  const bytes = gunzipSync(packed);
  const long = bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', 4, 4 + long));
  let offset = Math.ceil((4 + long) / 4) * 4;
  const offsets = header.arrays.map((info) => {
    const start = offset;
    offset += Math.ceil((info.length * (info.coding === 'f64' ? 8 : 4)) / 8) * 8;
    return start;
  });
  const open = new Map();
  const array = (index) => {
    if (!open.has(index)) open.set(index, arrayAt(bytes, offsets[index], header.arrays[index]));
    return open.get(index);
  };
  const component = (one, row) => (typeof one === 'number' ? array(one)[row] : one.constant);
  return {
    header,
    filmTimes: array(header.film.t),
    tableTimes: array(header.table.t),
    pose: (figure, row) => ({
      p: header.film.tracks[figure].p.map((one) => component(one, row)),
      q: header.film.tracks[figure].q.map((one) => component(one, row)),
    }),
    column: (name) => {
      const found = header.table.columns.find((column) => column.name === name);
      return found ? array(found.array) : null;
    },
  };
}

export function packedIn(html, id) {
  const found = html.match(new RegExp(`<script type="application/x-taut" id="${id}">([A-Za-z0-9+/=\\s]*)</script>`));
  return found ? Buffer.from(found[1], 'base64') : null;
}
