// Generated from messages.proto by `pnpm generate`. Changes belong there.
import { decodeMessage, encodeMessage, MaxLengthError, message, streamMessage } from 'protons-runtime';
import { alloc as uint8ArrayAlloc } from 'uint8arrays/alloc';
export var Statement;
(function (Statement) {
    let _codec;
    Statement.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.kind != null && obj.kind !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.kind);
                }
                if ((obj.signer != null && obj.signer.byteLength > 0)) {
                    w.uint32(18);
                    w.bytes(obj.signer);
                }
                if ((obj.body != null && obj.body.byteLength > 0)) {
                    w.uint32(26);
                    w.bytes(obj.body);
                }
                if ((obj.signature != null && obj.signature.byteLength > 0)) {
                    w.uint32(34);
                    w.bytes(obj.signature);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    kind: 0,
                    signer: uint8ArrayAlloc(0),
                    body: uint8ArrayAlloc(0),
                    signature: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.kind = reader.uint32();
                            break;
                        }
                        case 2: {
                            obj.signer = reader.bytes();
                            break;
                        }
                        case 3: {
                            obj.body = reader.bytes();
                            break;
                        }
                        case 4: {
                            obj.signature = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.kind`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.signer`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.body`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.signature`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Statement.codec());
    }
    Statement.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Statement.codec(), opts);
    }
    Statement.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Statement.codec(), opts);
    }
    Statement.stream = stream;
})(Statement || (Statement = {}));
export var Joined;
(function (Joined) {
    let _codec;
    Joined.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(8);
                    w.uint64Number(obj.incarnation);
                }
                if ((obj.nonce != null && obj.nonce !== 0)) {
                    w.uint32(21);
                    w.fixed32(obj.nonce);
                }
                if (obj.addresses != null && obj.addresses.length > 0) {
                    for (const value of obj.addresses) {
                        w.uint32(26);
                        w.bytes(value);
                    }
                }
                if ((obj.location != null && obj.location !== '')) {
                    w.uint32(34);
                    w.string(obj.location);
                }
                if ((obj.tag != null && obj.tag.byteLength > 0)) {
                    w.uint32(42);
                    w.bytes(obj.tag);
                }
                if ((obj.version != null && obj.version !== 0)) {
                    w.uint32(48);
                    w.uint32(obj.version);
                }
                if ((obj.joinedAt != null && obj.joinedAt !== 0)) {
                    w.uint32(56);
                    w.uint64Number(obj.joinedAt);
                }
                if (obj.constants != null && obj.constants.length > 0) {
                    for (const value of obj.constants) {
                        w.uint32(66);
                        Constant.codec().encode(value, w);
                    }
                }
                if ((obj.reach != null && obj.reach !== 0)) {
                    w.uint32(72);
                    w.uint32(obj.reach);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    incarnation: 0,
                    nonce: 0,
                    addresses: [],
                    location: '',
                    tag: uint8ArrayAlloc(0),
                    version: 0,
                    joinedAt: 0,
                    constants: [],
                    reach: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 2: {
                            obj.nonce = reader.fixed32();
                            break;
                        }
                        case 3: {
                            if (opts.limits?.addresses != null && obj.addresses.length === opts.limits.addresses) {
                                throw new MaxLengthError('Decode error - repeated field "addresses" had too many elements');
                            }
                            obj.addresses.push(reader.bytes());
                            break;
                        }
                        case 4: {
                            obj.location = reader.string();
                            break;
                        }
                        case 5: {
                            obj.tag = reader.bytes();
                            break;
                        }
                        case 6: {
                            obj.version = reader.uint32();
                            break;
                        }
                        case 7: {
                            obj.joinedAt = reader.uint64Number();
                            break;
                        }
                        case 8: {
                            if (opts.limits?.constants != null && obj.constants.length === opts.limits.constants) {
                                throw new MaxLengthError('Decode error - repeated field "constants" had too many elements');
                            }
                            obj.constants.push(Constant.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.constants$
                            }));
                            break;
                        }
                        case 9: {
                            obj.reach = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    addresses: 0,
                    constants: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.nonce`,
                                value: reader.fixed32()
                            };
                            break;
                        }
                        case 3: {
                            if (opts.limits?.addresses != null && obj.addresses === opts.limits.addresses) {
                                throw new MaxLengthError('Streaming decode error - repeated field "addresses" had too many elements');
                            }
                            yield {
                                field: `${prefix}.addresses[]`,
                                index: obj.addresses,
                                value: reader.bytes()
                            };
                            obj.addresses++;
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.location`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 5: {
                            yield {
                                field: `${prefix}.tag`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 6: {
                            yield {
                                field: `${prefix}.version`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 7: {
                            yield {
                                field: `${prefix}.joinedAt`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 8: {
                            if (opts.limits?.constants != null && obj.constants === opts.limits.constants) {
                                throw new MaxLengthError('Streaming decode error - repeated field "constants" had too many elements');
                            }
                            for (const evt of Constant.codec().stream(reader, reader.uint32(), `${prefix}.constants[]`, {
                                limits: opts.limits?.constants$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.constants
                                };
                            }
                            obj.constants++;
                            break;
                        }
                        case 9: {
                            yield {
                                field: `${prefix}.reach`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Joined.codec());
    }
    Joined.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Joined.codec(), opts);
    }
    Joined.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Joined.codec(), opts);
    }
    Joined.stream = stream;
})(Joined || (Joined = {}));
export var Constant;
(function (Constant) {
    let _codec;
    Constant.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.name != null && obj.name !== '')) {
                    w.uint32(10);
                    w.string(obj.name);
                }
                if ((obj.value != null && obj.value.byteLength > 0)) {
                    w.uint32(18);
                    w.bytes(obj.value);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    name: '',
                    value: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.name = reader.string();
                            break;
                        }
                        case 2: {
                            obj.value = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.name`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.value`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Constant.codec());
    }
    Constant.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Constant.codec(), opts);
    }
    Constant.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Constant.codec(), opts);
    }
    Constant.stream = stream;
})(Constant || (Constant = {}));
export var Left;
(function (Left) {
    let _codec;
    Left.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(8);
                    w.uint64Number(obj.incarnation);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    incarnation: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Left.codec());
    }
    Left.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Left.codec(), opts);
    }
    Left.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Left.codec(), opts);
    }
    Left.stream = stream;
})(Left || (Left = {}));
export var Suspicion;
(function (Suspicion) {
    let _codec;
    Suspicion.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.suspect != null && obj.suspect.byteLength > 0)) {
                    w.uint32(10);
                    w.bytes(obj.suspect);
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.incarnation);
                }
                if ((obj.heartbeat != null && obj.heartbeat !== 0)) {
                    w.uint32(24);
                    w.uint32(obj.heartbeat);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    suspect: uint8ArrayAlloc(0),
                    incarnation: 0,
                    heartbeat: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.suspect = reader.bytes();
                            break;
                        }
                        case 2: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            obj.heartbeat = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.suspect`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.heartbeat`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Suspicion.codec());
    }
    Suspicion.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Suspicion.codec(), opts);
    }
    Suspicion.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Suspicion.codec(), opts);
    }
    Suspicion.stream = stream;
})(Suspicion || (Suspicion = {}));
export var Refutation;
(function (Refutation) {
    let _codec;
    Refutation.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(8);
                    w.uint64Number(obj.incarnation);
                }
                if ((obj.heartbeat != null && obj.heartbeat !== 0)) {
                    w.uint32(16);
                    w.uint32(obj.heartbeat);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    incarnation: 0,
                    heartbeat: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 2: {
                            obj.heartbeat = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.heartbeat`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Refutation.codec());
    }
    Refutation.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Refutation.codec(), opts);
    }
    Refutation.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Refutation.codec(), opts);
    }
    Refutation.stream = stream;
})(Refutation || (Refutation = {}));
export var Candidacy;
(function (Candidacy) {
    let _codec;
    Candidacy.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.election != null && obj.election !== '')) {
                    w.uint32(10);
                    w.string(obj.election);
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.incarnation);
                }
                if ((obj.sequence != null && obj.sequence !== 0)) {
                    w.uint32(24);
                    w.uint32(obj.sequence);
                }
                if ((obj.withdrawn != null && obj.withdrawn !== false)) {
                    w.uint32(32);
                    w.bool(obj.withdrawn);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    election: '',
                    incarnation: 0,
                    sequence: 0,
                    withdrawn: false
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.election = reader.string();
                            break;
                        }
                        case 2: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            obj.sequence = reader.uint32();
                            break;
                        }
                        case 4: {
                            obj.withdrawn = reader.bool();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.election`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.sequence`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.withdrawn`,
                                value: reader.bool()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Candidacy.codec());
    }
    Candidacy.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Candidacy.codec(), opts);
    }
    Candidacy.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Candidacy.codec(), opts);
    }
    Candidacy.stream = stream;
})(Candidacy || (Candidacy = {}));
export var Claim;
(function (Claim) {
    let _codec;
    Claim.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.election != null && obj.election !== '')) {
                    w.uint32(10);
                    w.string(obj.election);
                }
                if ((obj.epoch != null && obj.epoch !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.epoch);
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(24);
                    w.uint64Number(obj.incarnation);
                }
                if ((obj.sequence != null && obj.sequence !== 0)) {
                    w.uint32(32);
                    w.uint32(obj.sequence);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    election: '',
                    epoch: 0,
                    incarnation: 0,
                    sequence: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.election = reader.string();
                            break;
                        }
                        case 2: {
                            obj.epoch = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 4: {
                            obj.sequence = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.election`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.epoch`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.sequence`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Claim.codec());
    }
    Claim.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Claim.codec(), opts);
    }
    Claim.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Claim.codec(), opts);
    }
    Claim.stream = stream;
})(Claim || (Claim = {}));
export var Record;
(function (Record) {
    let _codec;
    Record.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.name != null && obj.name !== '')) {
                    w.uint32(10);
                    w.string(obj.name);
                }
                if ((obj.version != null && obj.version !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.version);
                }
                if ((obj.expires != null && obj.expires !== 0)) {
                    w.uint32(24);
                    w.uint64Number(obj.expires);
                }
                if ((obj.value != null && obj.value.byteLength > 0)) {
                    w.uint32(34);
                    w.bytes(obj.value);
                }
                if ((obj.withdrawn != null && obj.withdrawn !== false)) {
                    w.uint32(40);
                    w.bool(obj.withdrawn);
                }
                if ((obj.ends != null && obj.ends !== 0)) {
                    w.uint32(48);
                    w.uint64Number(obj.ends);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    name: '',
                    version: 0,
                    expires: 0,
                    value: uint8ArrayAlloc(0),
                    withdrawn: false,
                    ends: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.name = reader.string();
                            break;
                        }
                        case 2: {
                            obj.version = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            obj.expires = reader.uint64Number();
                            break;
                        }
                        case 4: {
                            obj.value = reader.bytes();
                            break;
                        }
                        case 5: {
                            obj.withdrawn = reader.bool();
                            break;
                        }
                        case 6: {
                            obj.ends = reader.uint64Number();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.name`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.version`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.expires`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.value`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 5: {
                            yield {
                                field: `${prefix}.withdrawn`,
                                value: reader.bool()
                            };
                            break;
                        }
                        case 6: {
                            yield {
                                field: `${prefix}.ends`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Record.codec());
    }
    Record.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Record.codec(), opts);
    }
    Record.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Record.codec(), opts);
    }
    Record.stream = stream;
})(Record || (Record = {}));
export var UserEvent;
(function (UserEvent) {
    let _codec;
    UserEvent.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.name != null && obj.name !== '')) {
                    w.uint32(10);
                    w.string(obj.name);
                }
                if ((obj.payload != null && obj.payload.byteLength > 0)) {
                    w.uint32(18);
                    w.bytes(obj.payload);
                }
                if (obj.query != null) {
                    w.uint32(26);
                    Query.codec().encode(obj.query, w);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    name: '',
                    payload: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.name = reader.string();
                            break;
                        }
                        case 2: {
                            obj.payload = reader.bytes();
                            break;
                        }
                        case 3: {
                            obj.query = Query.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.query
                            });
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.name`,
                                value: reader.string()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.payload`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 3: {
                            yield* Query.codec().stream(reader, reader.uint32(), `${prefix}.query`, {
                                limits: opts.limits?.query
                            });
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, UserEvent.codec());
    }
    UserEvent.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, UserEvent.codec(), opts);
    }
    UserEvent.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, UserEvent.codec(), opts);
    }
    UserEvent.stream = stream;
})(UserEvent || (UserEvent = {}));
export var Query;
(function (Query) {
    let _codec;
    Query.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.id != null && obj.id !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.id);
                }
                if ((obj.timeoutMs != null && obj.timeoutMs !== 0)) {
                    w.uint32(16);
                    w.uint32(obj.timeoutMs);
                }
                if ((obj.targets != null && obj.targets.byteLength > 0)) {
                    w.uint32(26);
                    w.bytes(obj.targets);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    id: 0,
                    timeoutMs: 0,
                    targets: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.id = reader.uint32();
                            break;
                        }
                        case 2: {
                            obj.timeoutMs = reader.uint32();
                            break;
                        }
                        case 3: {
                            obj.targets = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.id`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.timeoutMs`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.targets`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Query.codec());
    }
    Query.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Query.codec(), opts);
    }
    Query.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Query.codec(), opts);
    }
    Query.stream = stream;
})(Query || (Query = {}));
export var Certificate;
(function (Certificate) {
    let _codec;
    Certificate.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.suspect != null && obj.suspect.byteLength > 0)) {
                    w.uint32(10);
                    w.bytes(obj.suspect);
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.incarnation);
                }
                if (obj.accusers != null && obj.accusers.length > 0) {
                    for (const value of obj.accusers) {
                        w.uint32(26);
                        Accuser.codec().encode(value, w);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    suspect: uint8ArrayAlloc(0),
                    incarnation: 0,
                    accusers: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.suspect = reader.bytes();
                            break;
                        }
                        case 2: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            if (opts.limits?.accusers != null && obj.accusers.length === opts.limits.accusers) {
                                throw new MaxLengthError('Decode error - repeated field "accusers" had too many elements');
                            }
                            obj.accusers.push(Accuser.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.accusers$
                            }));
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    accusers: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.suspect`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            if (opts.limits?.accusers != null && obj.accusers === opts.limits.accusers) {
                                throw new MaxLengthError('Streaming decode error - repeated field "accusers" had too many elements');
                            }
                            for (const evt of Accuser.codec().stream(reader, reader.uint32(), `${prefix}.accusers[]`, {
                                limits: opts.limits?.accusers$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.accusers
                                };
                            }
                            obj.accusers++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Certificate.codec());
    }
    Certificate.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Certificate.codec(), opts);
    }
    Certificate.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Certificate.codec(), opts);
    }
    Certificate.stream = stream;
})(Certificate || (Certificate = {}));
export var Accuser;
(function (Accuser) {
    let _codec;
    Accuser.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.signer != null && obj.signer.byteLength > 0)) {
                    w.uint32(10);
                    w.bytes(obj.signer);
                }
                if ((obj.heartbeat != null && obj.heartbeat !== 0)) {
                    w.uint32(16);
                    w.uint32(obj.heartbeat);
                }
                if ((obj.signature != null && obj.signature.byteLength > 0)) {
                    w.uint32(26);
                    w.bytes(obj.signature);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    signer: uint8ArrayAlloc(0),
                    heartbeat: 0,
                    signature: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.signer = reader.bytes();
                            break;
                        }
                        case 2: {
                            obj.heartbeat = reader.uint32();
                            break;
                        }
                        case 3: {
                            obj.signature = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.signer`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.heartbeat`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.signature`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Accuser.codec());
    }
    Accuser.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Accuser.codec(), opts);
    }
    Accuser.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Accuser.codec(), opts);
    }
    Accuser.stream = stream;
})(Accuser || (Accuser = {}));
export var Fact;
(function (Fact) {
    let _codec;
    Fact.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.statement != null) {
                    w.uint32(10);
                    Statement.codec().encode(obj.statement, w);
                }
                if (obj.certificate != null) {
                    w.uint32(18);
                    Certificate.codec().encode(obj.certificate, w);
                }
                if ((obj.ageSeconds != null && obj.ageSeconds !== 0)) {
                    w.uint32(24);
                    w.uint32(obj.ageSeconds);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    ageSeconds: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.statement = Statement.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.statement
                            });
                            break;
                        }
                        case 2: {
                            obj.certificate = Certificate.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.certificate
                            });
                            break;
                        }
                        case 3: {
                            obj.ageSeconds = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield* Statement.codec().stream(reader, reader.uint32(), `${prefix}.statement`, {
                                limits: opts.limits?.statement
                            });
                            break;
                        }
                        case 2: {
                            yield* Certificate.codec().stream(reader, reader.uint32(), `${prefix}.certificate`, {
                                limits: opts.limits?.certificate
                            });
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.ageSeconds`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Fact.codec());
    }
    Fact.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Fact.codec(), opts);
    }
    Fact.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Fact.codec(), opts);
    }
    Fact.stream = stream;
})(Fact || (Fact = {}));
export var Broadcast;
(function (Broadcast) {
    let _codec;
    Broadcast.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.nonce != null && obj.nonce !== 0)) {
                    w.uint32(13);
                    w.fixed32(obj.nonce);
                }
                if (obj.facts != null && obj.facts.length > 0) {
                    for (const value of obj.facts) {
                        w.uint32(18);
                        Fact.codec().encode(value, w);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    nonce: 0,
                    facts: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.nonce = reader.fixed32();
                            break;
                        }
                        case 2: {
                            if (opts.limits?.facts != null && obj.facts.length === opts.limits.facts) {
                                throw new MaxLengthError('Decode error - repeated field "facts" had too many elements');
                            }
                            obj.facts.push(Fact.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.facts$
                            }));
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    facts: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.nonce`,
                                value: reader.fixed32()
                            };
                            break;
                        }
                        case 2: {
                            if (opts.limits?.facts != null && obj.facts === opts.limits.facts) {
                                throw new MaxLengthError('Streaming decode error - repeated field "facts" had too many elements');
                            }
                            for (const evt of Fact.codec().stream(reader, reader.uint32(), `${prefix}.facts[]`, {
                                limits: opts.limits?.facts$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.facts
                                };
                            }
                            obj.facts++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Broadcast.codec());
    }
    Broadcast.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Broadcast.codec(), opts);
    }
    Broadcast.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Broadcast.codec(), opts);
    }
    Broadcast.stream = stream;
})(Broadcast || (Broadcast = {}));
export var Frame;
(function (Frame) {
    let _codec;
    Frame.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                obj = { ...obj };
                if (obj.pingReqAck != null) {
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.pingReq != null) {
                    obj.pingReqAck = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.want != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.offer != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.goodbye != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.signalAck != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.signal != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.alarm != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.ack != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.probe != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.facts != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.reconcile != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.redirect = undefined;
                    obj.hello = undefined;
                }
                if (obj.redirect != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.hello = undefined;
                }
                if (obj.hello != null) {
                    obj.pingReqAck = undefined;
                    obj.pingReq = undefined;
                    obj.want = undefined;
                    obj.offer = undefined;
                    obj.goodbye = undefined;
                    obj.signalAck = undefined;
                    obj.signal = undefined;
                    obj.alarm = undefined;
                    obj.ack = undefined;
                    obj.probe = undefined;
                    obj.facts = undefined;
                    obj.reconcile = undefined;
                    obj.redirect = undefined;
                }
                if (obj.hello != null) {
                    w.uint32(10);
                    Hello.codec().encode(obj.hello, w);
                }
                if (obj.redirect != null) {
                    w.uint32(18);
                    Redirect.codec().encode(obj.redirect, w);
                }
                if (obj.reconcile != null) {
                    w.uint32(26);
                    Reconcile.codec().encode(obj.reconcile, w);
                }
                if (obj.facts != null) {
                    w.uint32(34);
                    Facts.codec().encode(obj.facts, w);
                }
                if (obj.probe != null) {
                    w.uint32(42);
                    Probe.codec().encode(obj.probe, w);
                }
                if (obj.ack != null) {
                    w.uint32(50);
                    Ack.codec().encode(obj.ack, w);
                }
                if (obj.alarm != null) {
                    w.uint32(58);
                    Alarm.codec().encode(obj.alarm, w);
                }
                if (obj.signal != null) {
                    w.uint32(66);
                    Signal.codec().encode(obj.signal, w);
                }
                if (obj.signalAck != null) {
                    w.uint32(74);
                    SignalAck.codec().encode(obj.signalAck, w);
                }
                if (obj.goodbye != null) {
                    w.uint32(82);
                    Goodbye.codec().encode(obj.goodbye, w);
                }
                if (obj.offer != null) {
                    w.uint32(90);
                    Offer.codec().encode(obj.offer, w);
                }
                if (obj.want != null) {
                    w.uint32(98);
                    Want.codec().encode(obj.want, w);
                }
                if (obj.pingReq != null) {
                    w.uint32(106);
                    PingReq.codec().encode(obj.pingReq, w);
                }
                if (obj.pingReqAck != null) {
                    w.uint32(114);
                    PingReqAck.codec().encode(obj.pingReqAck, w);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {};
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.hello = Hello.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.hello
                            });
                            break;
                        }
                        case 2: {
                            obj.redirect = Redirect.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.redirect
                            });
                            break;
                        }
                        case 3: {
                            obj.reconcile = Reconcile.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.reconcile
                            });
                            break;
                        }
                        case 4: {
                            obj.facts = Facts.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.facts
                            });
                            break;
                        }
                        case 5: {
                            obj.probe = Probe.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.probe
                            });
                            break;
                        }
                        case 6: {
                            obj.ack = Ack.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.ack
                            });
                            break;
                        }
                        case 7: {
                            obj.alarm = Alarm.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.alarm
                            });
                            break;
                        }
                        case 8: {
                            obj.signal = Signal.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.signal
                            });
                            break;
                        }
                        case 9: {
                            obj.signalAck = SignalAck.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.signalAck
                            });
                            break;
                        }
                        case 10: {
                            obj.goodbye = Goodbye.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.goodbye
                            });
                            break;
                        }
                        case 11: {
                            obj.offer = Offer.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.offer
                            });
                            break;
                        }
                        case 12: {
                            obj.want = Want.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.want
                            });
                            break;
                        }
                        case 13: {
                            obj.pingReq = PingReq.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.pingReq
                            });
                            break;
                        }
                        case 14: {
                            obj.pingReqAck = PingReqAck.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.pingReqAck
                            });
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                if (obj.pingReqAck != null) {
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.pingReq != null) {
                    delete obj.pingReqAck;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.want != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.offer != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.goodbye != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.signalAck != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.signal != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.alarm != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.ack != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.probe != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.facts != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.reconcile;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.reconcile != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.redirect;
                    delete obj.hello;
                }
                if (obj.redirect != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.hello;
                }
                if (obj.hello != null) {
                    delete obj.pingReqAck;
                    delete obj.pingReq;
                    delete obj.want;
                    delete obj.offer;
                    delete obj.goodbye;
                    delete obj.signalAck;
                    delete obj.signal;
                    delete obj.alarm;
                    delete obj.ack;
                    delete obj.probe;
                    delete obj.facts;
                    delete obj.reconcile;
                    delete obj.redirect;
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield* Hello.codec().stream(reader, reader.uint32(), `${prefix}.hello`, {
                                limits: opts.limits?.hello
                            });
                            break;
                        }
                        case 2: {
                            yield* Redirect.codec().stream(reader, reader.uint32(), `${prefix}.redirect`, {
                                limits: opts.limits?.redirect
                            });
                            break;
                        }
                        case 3: {
                            yield* Reconcile.codec().stream(reader, reader.uint32(), `${prefix}.reconcile`, {
                                limits: opts.limits?.reconcile
                            });
                            break;
                        }
                        case 4: {
                            yield* Facts.codec().stream(reader, reader.uint32(), `${prefix}.facts`, {
                                limits: opts.limits?.facts
                            });
                            break;
                        }
                        case 5: {
                            yield* Probe.codec().stream(reader, reader.uint32(), `${prefix}.probe`, {
                                limits: opts.limits?.probe
                            });
                            break;
                        }
                        case 6: {
                            yield* Ack.codec().stream(reader, reader.uint32(), `${prefix}.ack`, {
                                limits: opts.limits?.ack
                            });
                            break;
                        }
                        case 7: {
                            yield* Alarm.codec().stream(reader, reader.uint32(), `${prefix}.alarm`, {
                                limits: opts.limits?.alarm
                            });
                            break;
                        }
                        case 8: {
                            yield* Signal.codec().stream(reader, reader.uint32(), `${prefix}.signal`, {
                                limits: opts.limits?.signal
                            });
                            break;
                        }
                        case 9: {
                            yield* SignalAck.codec().stream(reader, reader.uint32(), `${prefix}.signalAck`, {
                                limits: opts.limits?.signalAck
                            });
                            break;
                        }
                        case 10: {
                            yield* Goodbye.codec().stream(reader, reader.uint32(), `${prefix}.goodbye`, {
                                limits: opts.limits?.goodbye
                            });
                            break;
                        }
                        case 11: {
                            yield* Offer.codec().stream(reader, reader.uint32(), `${prefix}.offer`, {
                                limits: opts.limits?.offer
                            });
                            break;
                        }
                        case 12: {
                            yield* Want.codec().stream(reader, reader.uint32(), `${prefix}.want`, {
                                limits: opts.limits?.want
                            });
                            break;
                        }
                        case 13: {
                            yield* PingReq.codec().stream(reader, reader.uint32(), `${prefix}.pingReq`, {
                                limits: opts.limits?.pingReq
                            });
                            break;
                        }
                        case 14: {
                            yield* PingReqAck.codec().stream(reader, reader.uint32(), `${prefix}.pingReqAck`, {
                                limits: opts.limits?.pingReqAck
                            });
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Frame.codec());
    }
    Frame.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Frame.codec(), opts);
    }
    Frame.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Frame.codec(), opts);
    }
    Frame.stream = stream;
})(Frame || (Frame = {}));
export var Hello;
(function (Hello) {
    let _codec;
    Hello.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.known != null && obj.known !== 0)) {
                    w.uint32(8);
                    w.uint64Number(obj.known);
                }
                if ((obj.ended != null && obj.ended !== false)) {
                    w.uint32(16);
                    w.bool(obj.ended);
                }
                if ((obj.incarnation != null && obj.incarnation !== 0)) {
                    w.uint32(24);
                    w.uint64Number(obj.incarnation);
                }
                if (obj.today != null) {
                    w.uint32(32);
                    w.uint64Number(obj.today);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    known: 0,
                    ended: false,
                    incarnation: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.known = reader.uint64Number();
                            break;
                        }
                        case 2: {
                            obj.ended = reader.bool();
                            break;
                        }
                        case 3: {
                            obj.incarnation = reader.uint64Number();
                            break;
                        }
                        case 4: {
                            obj.today = reader.uint64Number();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.known`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.ended`,
                                value: reader.bool()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.incarnation`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.today`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Hello.codec());
    }
    Hello.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Hello.codec(), opts);
    }
    Hello.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Hello.codec(), opts);
    }
    Hello.stream = stream;
})(Hello || (Hello = {}));
export var Redirect;
(function (Redirect) {
    let _codec;
    Redirect.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.members != null && obj.members.length > 0) {
                    for (const value of obj.members) {
                        w.uint32(10);
                        Fact.codec().encode(value, w);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    members: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.members != null && obj.members.length === opts.limits.members) {
                                throw new MaxLengthError('Decode error - repeated field "members" had too many elements');
                            }
                            obj.members.push(Fact.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.members$
                            }));
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    members: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.members != null && obj.members === opts.limits.members) {
                                throw new MaxLengthError('Streaming decode error - repeated field "members" had too many elements');
                            }
                            for (const evt of Fact.codec().stream(reader, reader.uint32(), `${prefix}.members[]`, {
                                limits: opts.limits?.members$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.members
                                };
                            }
                            obj.members++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Redirect.codec());
    }
    Redirect.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Redirect.codec(), opts);
    }
    Redirect.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Redirect.codec(), opts);
    }
    Redirect.stream = stream;
})(Redirect || (Redirect = {}));
export var Reconcile;
(function (Reconcile) {
    let _codec;
    Reconcile.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.round != null && obj.round !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.round);
                }
                if (obj.ranges != null && obj.ranges.length > 0) {
                    for (const value of obj.ranges) {
                        w.uint32(18);
                        Range.codec().encode(value, w);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    round: 0,
                    ranges: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.round = reader.uint32();
                            break;
                        }
                        case 2: {
                            if (opts.limits?.ranges != null && obj.ranges.length === opts.limits.ranges) {
                                throw new MaxLengthError('Decode error - repeated field "ranges" had too many elements');
                            }
                            obj.ranges.push(Range.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.ranges$
                            }));
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    ranges: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.round`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 2: {
                            if (opts.limits?.ranges != null && obj.ranges === opts.limits.ranges) {
                                throw new MaxLengthError('Streaming decode error - repeated field "ranges" had too many elements');
                            }
                            for (const evt of Range.codec().stream(reader, reader.uint32(), `${prefix}.ranges[]`, {
                                limits: opts.limits?.ranges$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.ranges
                                };
                            }
                            obj.ranges++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Reconcile.codec());
    }
    Reconcile.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Reconcile.codec(), opts);
    }
    Reconcile.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Reconcile.codec(), opts);
    }
    Reconcile.stream = stream;
})(Reconcile || (Reconcile = {}));
export var Range;
(function (Range) {
    let _codec;
    Range.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.from != null && obj.from !== 0)) {
                    w.uint32(8);
                    w.uint64Number(obj.from);
                }
                if ((obj.to != null && obj.to !== 0)) {
                    w.uint32(16);
                    w.uint64Number(obj.to);
                }
                if ((obj.count != null && obj.count !== 0)) {
                    w.uint32(24);
                    w.uint32(obj.count);
                }
                if ((obj.fingerprint != null && obj.fingerprint.byteLength > 0)) {
                    w.uint32(34);
                    w.bytes(obj.fingerprint);
                }
                if ((obj.items != null && obj.items.byteLength > 0)) {
                    w.uint32(42);
                    w.bytes(obj.items);
                }
                if ((obj.wanted != null && obj.wanted.byteLength > 0)) {
                    w.uint32(50);
                    w.bytes(obj.wanted);
                }
                if ((obj.listed != null && obj.listed !== false)) {
                    w.uint32(56);
                    w.bool(obj.listed);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    from: 0,
                    to: 0,
                    count: 0,
                    fingerprint: uint8ArrayAlloc(0),
                    items: uint8ArrayAlloc(0),
                    wanted: uint8ArrayAlloc(0),
                    listed: false
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.from = reader.uint64Number();
                            break;
                        }
                        case 2: {
                            obj.to = reader.uint64Number();
                            break;
                        }
                        case 3: {
                            obj.count = reader.uint32();
                            break;
                        }
                        case 4: {
                            obj.fingerprint = reader.bytes();
                            break;
                        }
                        case 5: {
                            obj.items = reader.bytes();
                            break;
                        }
                        case 6: {
                            obj.wanted = reader.bytes();
                            break;
                        }
                        case 7: {
                            obj.listed = reader.bool();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.from`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.to`,
                                value: reader.uint64Number()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.count`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 4: {
                            yield {
                                field: `${prefix}.fingerprint`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 5: {
                            yield {
                                field: `${prefix}.items`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 6: {
                            yield {
                                field: `${prefix}.wanted`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        case 7: {
                            yield {
                                field: `${prefix}.listed`,
                                value: reader.bool()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Range.codec());
    }
    Range.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Range.codec(), opts);
    }
    Range.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Range.codec(), opts);
    }
    Range.stream = stream;
})(Range || (Range = {}));
export var Facts;
(function (Facts) {
    let _codec;
    Facts.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.facts != null && obj.facts.length > 0) {
                    for (const value of obj.facts) {
                        w.uint32(10);
                        Fact.codec().encode(value, w);
                    }
                }
                if ((obj.fresh != null && obj.fresh !== false)) {
                    w.uint32(16);
                    w.bool(obj.fresh);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    facts: [],
                    fresh: false
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.facts != null && obj.facts.length === opts.limits.facts) {
                                throw new MaxLengthError('Decode error - repeated field "facts" had too many elements');
                            }
                            obj.facts.push(Fact.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.facts$
                            }));
                            break;
                        }
                        case 2: {
                            obj.fresh = reader.bool();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    facts: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.facts != null && obj.facts === opts.limits.facts) {
                                throw new MaxLengthError('Streaming decode error - repeated field "facts" had too many elements');
                            }
                            for (const evt of Fact.codec().stream(reader, reader.uint32(), `${prefix}.facts[]`, {
                                limits: opts.limits?.facts$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.facts
                                };
                            }
                            obj.facts++;
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.fresh`,
                                value: reader.bool()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Facts.codec());
    }
    Facts.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Facts.codec(), opts);
    }
    Facts.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Facts.codec(), opts);
    }
    Facts.stream = stream;
})(Facts || (Facts = {}));
export var Offer;
(function (Offer) {
    let _codec;
    Offer.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.items != null && obj.items.byteLength > 0)) {
                    w.uint32(10);
                    w.bytes(obj.items);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    items: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.items = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.items`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Offer.codec());
    }
    Offer.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Offer.codec(), opts);
    }
    Offer.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Offer.codec(), opts);
    }
    Offer.stream = stream;
})(Offer || (Offer = {}));
export var Want;
(function (Want) {
    let _codec;
    Want.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.items != null && obj.items.byteLength > 0)) {
                    w.uint32(10);
                    w.bytes(obj.items);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    items: uint8ArrayAlloc(0)
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.items = reader.bytes();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.items`,
                                value: reader.bytes()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Want.codec());
    }
    Want.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Want.codec(), opts);
    }
    Want.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Want.codec(), opts);
    }
    Want.stream = stream;
})(Want || (Want = {}));
export var Probe;
(function (Probe) {
    let _codec;
    Probe.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.sequence != null && obj.sequence !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.sequence);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    sequence: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.sequence = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.sequence`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Probe.codec());
    }
    Probe.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Probe.codec(), opts);
    }
    Probe.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Probe.codec(), opts);
    }
    Probe.stream = stream;
})(Probe || (Probe = {}));
export var Ack;
(function (Ack) {
    let _codec;
    Ack.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.sequence != null && obj.sequence !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.sequence);
                }
                if ((obj.nextInMs != null && obj.nextInMs !== 0)) {
                    w.uint32(16);
                    w.uint32(obj.nextInMs);
                }
                if ((obj.heartbeat != null && obj.heartbeat !== 0)) {
                    w.uint32(24);
                    w.uint32(obj.heartbeat);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    sequence: 0,
                    nextInMs: 0,
                    heartbeat: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.sequence = reader.uint32();
                            break;
                        }
                        case 2: {
                            obj.nextInMs = reader.uint32();
                            break;
                        }
                        case 3: {
                            obj.heartbeat = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.sequence`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.nextInMs`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 3: {
                            yield {
                                field: `${prefix}.heartbeat`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Ack.codec());
    }
    Ack.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Ack.codec(), opts);
    }
    Ack.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Ack.codec(), opts);
    }
    Ack.stream = stream;
})(Ack || (Ack = {}));
export var PingReq;
(function (PingReq) {
    let _codec;
    PingReq.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.subjects != null && obj.subjects.length > 0) {
                    for (const value of obj.subjects) {
                        w.uint32(10);
                        w.bytes(value);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    subjects: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.subjects != null && obj.subjects.length === opts.limits.subjects) {
                                throw new MaxLengthError('Decode error - repeated field "subjects" had too many elements');
                            }
                            obj.subjects.push(reader.bytes());
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    subjects: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.subjects != null && obj.subjects === opts.limits.subjects) {
                                throw new MaxLengthError('Streaming decode error - repeated field "subjects" had too many elements');
                            }
                            yield {
                                field: `${prefix}.subjects[]`,
                                index: obj.subjects,
                                value: reader.bytes()
                            };
                            obj.subjects++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, PingReq.codec());
    }
    PingReq.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, PingReq.codec(), opts);
    }
    PingReq.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, PingReq.codec(), opts);
    }
    PingReq.stream = stream;
})(PingReq || (PingReq = {}));
export var PingReqAck;
(function (PingReqAck) {
    let _codec;
    PingReqAck.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.reached != null && obj.reached.length > 0) {
                    for (const value of obj.reached) {
                        w.uint32(10);
                        Statement.codec().encode(value, w);
                    }
                }
                if (obj.missed != null && obj.missed.length > 0) {
                    for (const value of obj.missed) {
                        w.uint32(18);
                        w.bytes(value);
                    }
                }
                if (obj.unknown != null && obj.unknown.length > 0) {
                    for (const value of obj.unknown) {
                        w.uint32(26);
                        w.bytes(value);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    reached: [],
                    missed: [],
                    unknown: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.reached != null && obj.reached.length === opts.limits.reached) {
                                throw new MaxLengthError('Decode error - repeated field "reached" had too many elements');
                            }
                            obj.reached.push(Statement.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.reached$
                            }));
                            break;
                        }
                        case 2: {
                            if (opts.limits?.missed != null && obj.missed.length === opts.limits.missed) {
                                throw new MaxLengthError('Decode error - repeated field "missed" had too many elements');
                            }
                            obj.missed.push(reader.bytes());
                            break;
                        }
                        case 3: {
                            if (opts.limits?.unknown != null && obj.unknown.length === opts.limits.unknown) {
                                throw new MaxLengthError('Decode error - repeated field "unknown" had too many elements');
                            }
                            obj.unknown.push(reader.bytes());
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    reached: 0,
                    missed: 0,
                    unknown: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.reached != null && obj.reached === opts.limits.reached) {
                                throw new MaxLengthError('Streaming decode error - repeated field "reached" had too many elements');
                            }
                            for (const evt of Statement.codec().stream(reader, reader.uint32(), `${prefix}.reached[]`, {
                                limits: opts.limits?.reached$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.reached
                                };
                            }
                            obj.reached++;
                            break;
                        }
                        case 2: {
                            if (opts.limits?.missed != null && obj.missed === opts.limits.missed) {
                                throw new MaxLengthError('Streaming decode error - repeated field "missed" had too many elements');
                            }
                            yield {
                                field: `${prefix}.missed[]`,
                                index: obj.missed,
                                value: reader.bytes()
                            };
                            obj.missed++;
                            break;
                        }
                        case 3: {
                            if (opts.limits?.unknown != null && obj.unknown === opts.limits.unknown) {
                                throw new MaxLengthError('Streaming decode error - repeated field "unknown" had too many elements');
                            }
                            yield {
                                field: `${prefix}.unknown[]`,
                                index: obj.unknown,
                                value: reader.bytes()
                            };
                            obj.unknown++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, PingReqAck.codec());
    }
    PingReqAck.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, PingReqAck.codec(), opts);
    }
    PingReqAck.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, PingReqAck.codec(), opts);
    }
    PingReqAck.stream = stream;
})(PingReqAck || (PingReqAck = {}));
export var Alarm;
(function (Alarm) {
    let _codec;
    Alarm.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if (obj.statements != null && obj.statements.length > 0) {
                    for (const value of obj.statements) {
                        w.uint32(10);
                        Statement.codec().encode(value, w);
                    }
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    statements: []
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.statements != null && obj.statements.length === opts.limits.statements) {
                                throw new MaxLengthError('Decode error - repeated field "statements" had too many elements');
                            }
                            obj.statements.push(Statement.codec().decode(reader, reader.uint32(), {
                                limits: opts.limits?.statements$
                            }));
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const obj = {
                    statements: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            if (opts.limits?.statements != null && obj.statements === opts.limits.statements) {
                                throw new MaxLengthError('Streaming decode error - repeated field "statements" had too many elements');
                            }
                            for (const evt of Statement.codec().stream(reader, reader.uint32(), `${prefix}.statements[]`, {
                                limits: opts.limits?.statements$
                            })) {
                                yield {
                                    ...evt,
                                    index: obj.statements
                                };
                            }
                            obj.statements++;
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Alarm.codec());
    }
    Alarm.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Alarm.codec(), opts);
    }
    Alarm.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Alarm.codec(), opts);
    }
    Alarm.stream = stream;
})(Alarm || (Alarm = {}));
export var Signal;
(function (Signal) {
    let _codec;
    Signal.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.reference != null && obj.reference !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.reference);
                }
                if ((obj.name != null && obj.name !== '')) {
                    w.uint32(18);
                    w.string(obj.name);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    reference: 0,
                    name: ''
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.reference = reader.uint32();
                            break;
                        }
                        case 2: {
                            obj.name = reader.string();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.reference`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        case 2: {
                            yield {
                                field: `${prefix}.name`,
                                value: reader.string()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Signal.codec());
    }
    Signal.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Signal.codec(), opts);
    }
    Signal.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Signal.codec(), opts);
    }
    Signal.stream = stream;
})(Signal || (Signal = {}));
export var SignalAck;
(function (SignalAck) {
    let _codec;
    SignalAck.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.reference != null && obj.reference !== 0)) {
                    w.uint32(8);
                    w.uint32(obj.reference);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    reference: 0
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.reference = reader.uint32();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.reference`,
                                value: reader.uint32()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, SignalAck.codec());
    }
    SignalAck.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, SignalAck.codec(), opts);
    }
    SignalAck.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, SignalAck.codec(), opts);
    }
    SignalAck.stream = stream;
})(SignalAck || (SignalAck = {}));
export var Goodbye;
(function (Goodbye) {
    let _codec;
    Goodbye.codec = () => {
        if (_codec == null) {
            _codec = message((obj, w, opts = {}) => {
                if (opts.lengthDelimited !== false) {
                    w.fork();
                }
                if ((obj.reason != null && obj.reason !== '')) {
                    w.uint32(10);
                    w.string(obj.reason);
                }
                if (opts.lengthDelimited !== false) {
                    w.ldelim();
                }
            }, (reader, length, opts = {}) => {
                const obj = {
                    reason: ''
                };
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            obj.reason = reader.string();
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
                return obj;
            }, function* (reader, length, prefix, opts = {}) {
                const end = length == null ? reader.len : reader.pos + length;
                while (reader.pos < end) {
                    const tag = reader.uint32();
                    switch (tag >>> 3) {
                        case 1: {
                            yield {
                                field: `${prefix}.reason`,
                                value: reader.string()
                            };
                            break;
                        }
                        default: {
                            reader.skipType(tag & 7);
                            break;
                        }
                    }
                }
            });
        }
        return _codec;
    };
    function encode(obj) {
        return encodeMessage(obj, Goodbye.codec());
    }
    Goodbye.encode = encode;
    function decode(buf, opts) {
        return decodeMessage(buf, Goodbye.codec(), opts);
    }
    Goodbye.decode = decode;
    function stream(buf, opts) {
        return streamMessage(buf, Goodbye.codec(), opts);
    }
    Goodbye.stream = stream;
})(Goodbye || (Goodbye = {}));
