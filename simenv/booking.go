package simenv

import (
	"fmt"
	"strings"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// This file holds what moves money in [travel]. The order of the steps is the reference's: some of them take effect although a
// later one fails.

// now is the moment at which every reservation is cancelled.
var now = time.Date(2024, time.July, 14, 6, 0, 0, 0, time.UTC)

// reserve books a flight. A wrong password does not stop it: the reference goes on with the object that says so, which has no
// membership level.
func (t *travel) reserve(a args) (pyvalue.Value, error) {
	userID, flightNo, cabinName, method, bags := a[0], a[2], a[3], a[4], a[5]
	user, err := t.authenticate(a[:2])
	if err != nil {
		return nil, err
	}
	var flight pyvalue.Value = pyvalue.None{}
	for _, f := range t.flights.Items {
		if pyvalue.Equal(field(f, "flight_no"), flightNo) && available(f) {
			flight = f
			break
		}
	}
	price, err := subscript(flight, t.priceName(cabinName))
	if err != nil {
		return nil, err
	}
	membership, err := subscript(user, "membership_level")
	if err != nil {
		return nil, err
	}
	fee, err := t.baggageFee(membership, cabinName, bags)
	if err != nil {
		return nil, err
	}
	total, err := pyvalue.Add(price, fee)
	if err != nil {
		return nil, err
	}
	account, known := accountOf(method)
	if !known {
		return pyvalue.Str(t.text.badMethod), nil
	}
	balance := field(user, account)
	if short, err := pyvalue.Greater(total, balance); err != nil {
		return nil, err
	} else if short {
		return pyvalue.Str(t.text.short[account]), nil
	}
	rest, err := pyvalue.Sub(balance, total)
	if err != nil {
		return nil, err
	}
	setField(user, account, rest)
	seats, err := pyvalue.Sub(field(flight, "seats_available"), number(1))
	if err != nil {
		return nil, err
	}
	setField(flight, "seats_available", seats)
	id := fmt.Sprintf("res_%d", t.reservations.Len()+1)
	t.reservations.Append(pyvalue.DictOf("reservation_id", pyvalue.Str(id), "user_id", userID, "flight_no", flightNo,
		"payment_method", method, "cabin", cabinName, "baggage", bags))
	return pyvalue.Str(fmt.Sprintf(t.text.booked, id, pyvalue.String(total))), nil
}

// accountOf is the field of a user that a payment method draws on.
func accountOf(method pyvalue.Value) (name string, known bool) {
	switch {
	case pyvalue.Equal(method, pyvalue.Str("cash")):
		return "cash_balance", true
	case pyvalue.Equal(method, pyvalue.Str("bank")):
		return "bank_balance", true
	}
	return "", false
}

// priceName is the field of a flight that holds the price of a cabin: every cabin that is not economy is business.
func (t *travel) priceName(cabin pyvalue.Value) string {
	if pyvalue.Equal(cabin, pyvalue.Str(t.text.economy)) {
		return "economy_price"
	}
	return "business_price"
}

// reservation finds a user's reservation by its id, or nil.
func (t *travel) reservation(id, userID pyvalue.Value) pyvalue.Value {
	for _, r := range t.reservations.Items {
		if pyvalue.Equal(field(r, "reservation_id"), id) && pyvalue.Equal(field(r, "user_id"), userID) {
			return r
		}
	}
	return nil
}

// modify changes flight, cabin and baggage of a reservation, in that order. What took effect before a failure stays.
func (t *travel) modify(a args) (pyvalue.Value, error) {
	userID, newFlight, newCabin, bags, method := a[0], a[2], a[3], a[4], a[5]
	reservation := t.reservation(a[1], userID)
	if reservation == nil {
		return pyvalue.Str(t.text.notYours), nil
	}
	flight := t.flight(field(reservation, "flight_no"))
	if flight == nil {
		return pyvalue.Str(t.text.noFlight), nil
	}
	user, known, err := t.users.Get(userID)
	if err != nil {
		return nil, err
	}
	if !known {
		return pyvalue.Str(t.text.noUser), nil
	}
	if !pyvalue.Truth(method) {
		method = field(reservation, "payment_method")
	}

	var pieces []string
	if pyvalue.Truth(newFlight) && !pyvalue.Equal(newFlight, field(reservation, "flight_no")) {
		if !t.changeFlight(reservation, flight, newFlight) {
			return pyvalue.Str(t.text.flightRefused), nil
		}
		pieces = append(pieces, t.text.flightChanged)
	}
	if pyvalue.Truth(newCabin) && !pyvalue.Equal(newCabin, field(reservation, "cabin")) {
		piece, err := t.changeCabin(user, reservation, flight, newCabin, method)
		if err != nil {
			return nil, err
		}
		if piece != "" {
			pieces = append(pieces, piece)
		}
	}
	more, err := pyvalue.Greater(bags, number(0))
	if err != nil {
		return nil, err
	}
	if more {
		piece, err := t.addBaggage(user, reservation, bags, method)
		if err != nil {
			return nil, err
		}
		if piece != "" {
			pieces = append(pieces, piece)
		}
	}
	if len(pieces) == 0 {
		return pyvalue.Str(t.text.modified), nil
	}
	return pyvalue.Str(strings.Join(pieces, " ")), nil
}

// changeFlight moves a reservation to another flight of the same route. Neither prices nor seats change.
func (t *travel) changeFlight(reservation, old, no pyvalue.Value) bool {
	for _, flight := range t.flights.Items {
		if pyvalue.Equal(field(flight, "flight_no"), no) &&
			pyvalue.Equal(field(flight, "origin"), field(old, "origin")) &&
			pyvalue.Equal(field(flight, "destination"), field(old, "destination")) {
			setField(reservation, "flight_no", no)
			return true
		}
	}
	return false
}

// changeCabin changes the cabin first and pays then, so an account that is short flies in the new cabin for the old price.
func (t *travel) changeCabin(user, reservation, flight, cabin, method pyvalue.Value) (string, error) {
	difference, err := t.priceDifference(flight, field(reservation, "cabin"), cabin)
	if err != nil {
		return "", err
	}
	setField(reservation, "cabin", cabin)
	dearer, err := pyvalue.Greater(difference, number(0))
	if err != nil {
		return "", err
	}
	if dearer {
		return t.pay(user, method, difference, t.text.cabinPaid, t.text.cabinShort)
	}
	if !pyvalue.Truth(difference) {
		return "", nil
	}
	refund, err := pyvalue.Neg(difference)
	if err != nil {
		return "", err
	}
	if _, err := t.move(user, method, refund); err != nil {
		return "", err
	}
	return fmt.Sprintf(t.text.cabinRefunded, pyvalue.String(refund)), nil
}

// addBaggage charges every bag over the allowance again, not only the added ones, and adds the bags whether or not they were paid.
func (t *travel) addBaggage(user, reservation, bags, method pyvalue.Value) (string, error) {
	total, err := pyvalue.Add(field(reservation, "baggage"), bags)
	if err != nil {
		return "", err
	}
	free, err := t.baggageAllowance(args{field(user, "membership_level"), field(reservation, "cabin")})
	if err != nil {
		return "", err
	}
	extra, err := pyvalue.Sub(total, free)
	if err != nil {
		return "", err
	}
	if extra, err = larger(number(0), extra); err != nil {
		return "", err
	}
	cost, err := pyvalue.Mul(extra, number(50))
	if err != nil {
		return "", err
	}
	piece := ""
	if pyvalue.Truth(cost) {
		if piece, err = t.pay(user, method, cost, t.text.baggagePaid, t.text.baggageShort); err != nil {
			return "", err
		}
	}
	setField(reservation, "baggage", total)
	return piece, nil
}

// pay takes an amount from an account and says so, or says that the account is short.
func (t *travel) pay(user, method, amount pyvalue.Value, paid, short string) (string, error) {
	owed, err := pyvalue.Neg(amount)
	if err != nil {
		return "", err
	}
	ok, err := t.move(user, method, owed)
	if err != nil {
		return "", err
	}
	if !ok {
		return short, nil
	}
	return fmt.Sprintf(paid, pyvalue.String(amount)), nil
}

func (t *travel) updateBalance(a args) (pyvalue.Value, error) {
	ok, err := t.move(a[0], a[1], a[2])
	if err != nil {
		return nil, err
	}
	return pyvalue.Bool(ok), nil
}

// move adds an amount to the account that a payment method names, unless the account would fall below zero. A method that is
// neither cash nor bank moves nothing and counts as paid.
func (t *travel) move(user, method, amount pyvalue.Value) (bool, error) {
	account, known := accountOf(method)
	if !known {
		return true, nil
	}
	balance, err := subscript(user, account)
	if err != nil {
		return false, err
	}
	rest, err := pyvalue.Add(balance, amount)
	if err != nil {
		return false, err
	}
	if below, err := pyvalue.Less(rest, number(0)); err != nil || below {
		return false, err
	}
	setField(user, account, rest)
	return true, nil
}

func (t *travel) processRefund(a args) (pyvalue.Value, error) {
	if err := t.refund(a[0], a[1]); err != nil {
		return nil, err
	}
	if _, err := subscript(a[0], "user_name"); err != nil {
		return nil, err
	}
	return pyvalue.None{}, nil
}

// refund gives an amount back in cash.
func (t *travel) refund(user, amount pyvalue.Value) error {
	balance, err := subscript(user, "cash_balance")
	if err != nil {
		return err
	}
	rest, err := pyvalue.AddAssign(balance, amount)
	if err != nil {
		return err
	}
	setField(user, "cash_balance", rest)
	return nil
}

func (t *travel) calculatePriceDifference(a args) (pyvalue.Value, error) {
	return t.priceDifference(a[0], a[1], a[2])
}

// priceDifference is what the new cabin costs more than the old one. A cabin it does not know costs nothing.
func (t *travel) priceDifference(flight, old, new pyvalue.Value) (pyvalue.Value, error) {
	var prices [2]pyvalue.Value
	for i, name := range []string{"economy_price", "business_price"} {
		price, err := subscript(flight, name)
		if err != nil {
			return nil, err
		}
		prices[i] = price
	}
	price := func(cabin pyvalue.Value) (pyvalue.Value, error) {
		index, known, err := t.cabin(cabin)
		if err != nil || !known {
			return number(0), err
		}
		return prices[index], nil
	}
	newPrice, err := price(new)
	if err != nil {
		return nil, err
	}
	oldPrice, err := price(old)
	if err != nil {
		return nil, err
	}
	return pyvalue.Sub(newPrice, oldPrice)
}

// cancel refunds the fare in cash. The reservation stays, so it can be cancelled again.
func (t *travel) cancel(a args) (pyvalue.Value, error) {
	userID, reason := a[0], a[2]
	user, known, err := t.users.Get(userID)
	if err != nil {
		return nil, err
	}
	if !known {
		return pyvalue.Str(t.text.cancelNoUser), nil
	}
	reservation := t.reservation(a[1], userID)
	if reservation == nil {
		return pyvalue.Str(t.text.cancelNotYours), nil
	}
	flight := t.flight(field(reservation, "flight_no"))
	if flight == nil {
		return pyvalue.Str(t.text.cancelFlight), nil
	}
	departure, err := time.Parse(clock, pyvalue.String(field(flight, "depart_time")))
	if err != nil {
		return nil, fmt.Errorf("reading the departure of a flight: %w", err)
	}
	if now.After(departure) {
		return pyvalue.Str(t.text.departed), nil
	}
	price := field(flight, t.priceName(field(reservation, "cabin")))
	switch {
	case pyvalue.Equal(reason, pyvalue.Str(t.text.airlineReason)):
		return t.cancelled(user, price, fmt.Sprintf(t.text.airline, pyvalue.String(price)))
	case departure.Sub(now) > 24*time.Hour:
		return t.cancelled(user, price, fmt.Sprintf(t.text.early, pyvalue.String(price)))
	}
	fee, err := pyvalue.Mul(price, pyvalue.Float(0.1))
	if err != nil {
		return nil, err
	}
	back, err := pyvalue.Sub(price, fee)
	if err != nil {
		return nil, err
	}
	return t.cancelled(user, back, fmt.Sprintf(t.text.late, pyvalue.String(fee), pyvalue.String(back)))
}

func (t *travel) cancelled(user, amount pyvalue.Value, text string) (pyvalue.Value, error) {
	if err := t.refund(user, amount); err != nil {
		return nil, err
	}
	return pyvalue.Str(text), nil
}
