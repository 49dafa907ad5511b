package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

// imageURL describes a picture named by a URL; a data URL is decoded.
func imageURL(u string) *Image {
	rest, ok := strings.CutPrefix(u, "data:")
	if !ok {
		return &Image{URL: u}
	}
	head, data, _ := strings.Cut(rest, ",")
	mediaType, isBase64 := strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	if isBase64 {
		return imageData(mediaType, data)
	}
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	return imageBytes(mediaType, []byte(data))
}

// imageData describes a picture sent as base64. Text that is not base64 counts as the picture itself.
func imageData(mediaType, text string) *Image {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(text)
	}
	if err != nil {
		data = []byte(text)
	}
	return imageBytes(mediaType, data)
}

func imageBytes(mediaType string, data []byte) *Image {
	sum := sha256.Sum256(data)
	return &Image{MediaType: mediaType, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}
