package tape

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// minPacked is the size from which on bytes are compressed. Less hardly shrinks.
const minPacked = 256

// packer compresses bodies. Its methods may be called from several goroutines.
type packer struct {
	encoder *zstd.Encoder
	known   *knownBodies
}

func newPacker() (*packer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(maxPart), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("setting up compression: %w", err)
	}
	return &packer{encoder: encoder, known: newKnownBodies()}, nil
}

// pack returns raw as it is stored: compressed when that saves a tenth, or else raw itself.
func (p *packer) pack(raw []byte) blob {
	if len(raw) >= minPacked {
		packed := p.encoder.EncodeAll(raw, make([]byte, 0, len(raw)/2))
		if len(packed) < len(raw)-len(raw)/10 {
			return blob{codec: codecZstd, data: packed}
		}
	}
	return blob{codec: codecRaw, data: raw}
}

// finishBody computes the digest of a body that is complete and packs the rest of it.
func (p *packer) finishBody(b *bodyEnd) {
	if b.of.sum == nil {
		b.sum = sha256.Sum256(b.rest)
		if b.of.model != nil {
			b.of.model.Write(b.rest)
		}
		if b.row = p.known.row(b.sum); b.row != 0 {
			return
		}
	} else {
		b.of.digest(b.rest)
		b.of.sum.Sum(b.sum[:0])
	}
	b.blob = p.pack(b.rest)
}

// unpack returns the size bytes that are stored in a blob.
func unpack(b blob, size int64) ([]byte, error) {
	if size < 0 || size > maxPart {
		return nil, fmt.Errorf("%w: a part of %d bytes", ErrDamaged, size)
	}
	raw := b.data
	switch b.codec {
	case codecRaw:
	case codecZstd:
		var err error
		if raw, err = decoder.DecodeAll(b.data, make([]byte, 0, size)); err != nil {
			return nil, fmt.Errorf("%w: decompressing a body: %w", ErrDamaged, err)
		}
	default:
		return nil, fmt.Errorf("%w: bytes of unknown codec %d", ErrDamaged, b.codec)
	}
	if int64(len(raw)) != size {
		return nil, fmt.Errorf("%w: a part has %d bytes instead of %d", ErrDamaged, len(raw), size)
	}
	return raw, nil
}

// decoder decompresses for all tapes. It holds nothing open and starts no goroutine.
var decoder = mustDecoder()

func mustDecoder() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(2*maxPart))
	if err != nil {
		panic(errors.Join(errors.New("setting up decompression"), err)) // the options are constants
	}
	return d
}
